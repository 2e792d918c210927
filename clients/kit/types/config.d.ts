// The module /config.js, which the server generates: base URLs without a slash at the end.
export const config: {
  readonly api: string;
  readonly dashboard: string;
  readonly till: string;
  readonly shop: string;
  readonly storefront: string;
};
