// What the clients use of vendor/fluent.js.
export class FluentResource {
  constructor(source: string);
}
export class FluentBundle {
  constructor(locales: string | string[], options?: { useIsolating?: boolean });
  addResource(resource: FluentResource): Error[];
  getMessage(id: string): { value: object | string | null } | undefined;
  formatPattern(pattern: object | string, args?: Record<string, string | number>): string;
}
