// The module /config.js, which the server generates: base URLs without a slash at the end, and pages of the deployment.
export const config: {
  readonly api: string;
  readonly dashboard: string;
  readonly till: string;
  readonly shop: string;
  readonly storefront: string;
  /** Where shops load the widget from, if that is not the API's origin. */
  readonly widget?: string;
  /** The terms of the platform and its privacy notice, for those who apply; shown where they are set. */
  readonly terms?: string;
  readonly privacy?: string;
};
