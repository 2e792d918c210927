// What the clients use of vendor/lit.js. The types that npm publishes are spread over three packages; nothing here needs npm.

export interface TemplateResult {
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];
}
export interface CSSResult {
  readonly cssText: string;
}
export function html(strings: TemplateStringsArray, ...values: unknown[]): TemplateResult;
export function svg(strings: TemplateStringsArray, ...values: unknown[]): TemplateResult;
export function css(strings: TemplateStringsArray, ...values: (CSSResult | number)[]): CSSResult;
export function render(
  value: unknown,
  container: HTMLElement | DocumentFragment,
  options?: { host?: object; renderBefore?: ChildNode | null },
): unknown;
export const nothing: unique symbol;
export const noChange: unique symbol;

export interface PropertyDeclaration {
  type?: unknown;
  state?: boolean;
  attribute?: boolean | string;
  reflect?: boolean;
  hasChanged?(value: unknown, old: unknown): boolean;
}
export interface ReactiveController {
  hostConnected?(): void;
  hostDisconnected?(): void;
  hostUpdate?(): void;
  hostUpdated?(): void;
}
export interface ReactiveControllerHost {
  addController(controller: ReactiveController): void;
  removeController(controller: ReactiveController): void;
  requestUpdate(): void;
  readonly updateComplete: Promise<boolean>;
}
export type PropertyValues = Map<PropertyKey, unknown>;
export class LitElement extends HTMLElement implements ReactiveControllerHost {
  static properties: Record<string, PropertyDeclaration>;
  static styles: CSSResult | CSSResult[];
  addController(controller: ReactiveController): void;
  removeController(controller: ReactiveController): void;
  requestUpdate(name?: PropertyKey, old?: unknown): void;
  readonly updateComplete: Promise<boolean>;
  readonly hasUpdated: boolean;
  readonly isUpdatePending: boolean;
  readonly renderRoot: HTMLElement | DocumentFragment;
  connectedCallback(): void;
  disconnectedCallback(): void;
  attributeChangedCallback(name: string, old: string | null, value: string | null): void;
  protected createRenderRoot(): HTMLElement | DocumentFragment;
  protected render(): unknown;
  protected shouldUpdate(changed: PropertyValues): boolean;
  protected willUpdate(changed: PropertyValues): void;
  protected update(changed: PropertyValues): void;
  protected firstUpdated(changed: PropertyValues): void;
  protected updated(changed: PropertyValues): void;
}

export interface Part {
  readonly type: number;
  readonly options?: unknown;
}
export interface ElementPart extends Part {
  readonly element: Element;
}
export interface PartInfo {
  readonly type: number;
}
export const PartType: {
  readonly ATTRIBUTE: 1;
  readonly CHILD: 2;
  readonly PROPERTY: 3;
  readonly BOOLEAN_ATTRIBUTE: 4;
  readonly EVENT: 5;
  readonly ELEMENT: 6;
};
export class Directive {
  constructor(info: PartInfo);
  render(...values: any[]): unknown;
  update(part: any, values: any[]): unknown;
}
export function directive<T extends new (info: PartInfo) => Directive>(
  type: T,
): (...values: Parameters<InstanceType<T>["render"]>) => unknown;

export interface Ref<T = Element> {
  readonly value?: T | undefined;
}
export function createRef<T = Element>(): Ref<T>;
export function ref(target: Ref<any> | ((element: Element | undefined) => void)): unknown;
export function repeat<T>(
  items: Iterable<T>,
  key: (item: T, index: number) => unknown,
  template: (item: T, index: number) => unknown,
): unknown;
export function live(value: unknown): unknown;
export function keyed(key: unknown, value: unknown): unknown;
export function ifDefined<T>(value: T): T | typeof nothing;
