// What worker.js uses of a service worker's globals. TypeScript's own types of workers cannot stand beside those of pages.

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface WorkerFetchEvent extends WorkerEvent {
  readonly request: Request;
  /** The page that sends the request; "" for the request of a new page. */
  readonly clientId: string;
  /** The page that the request opens, or "". */
  readonly resultingClientId: string;
  respondWith(response: Promise<Response>): void;
}

export interface WorkerScope {
  addEventListener(type: "install" | "activate" | "message", listener: (event: WorkerEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: WorkerFetchEvent) => void): void;
  skipWaiting(): Promise<void>;
}
