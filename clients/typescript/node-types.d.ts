// As much of Node as file-journal.js and the examples use, so that this package is checked without other packages.

declare module "node:fs/promises" {
  interface FileHandle {
    writeFile(text: string): Promise<void>;
    sync(): Promise<void>;
    close(): Promise<void>;
  }
  function mkdir(path: string, options: { recursive: true; mode: number }): Promise<string | undefined>;
  function open(path: string, flags: string, mode?: number): Promise<FileHandle>;
  function readdir(path: string): Promise<string[]>;
  function readFile(path: string, encoding: "utf8"): Promise<string>;
  function rename(from: string, to: string): Promise<void>;
  function rm(path: string, options: { force: true }): Promise<void>;
}

declare module "node:http" {
  interface IncomingMessage {
    method?: string | undefined;
    headers: Record<string, string | string[] | undefined>;
    iterator(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
  }
  interface ServerResponse {
    writeHead(status: number, headers: Record<string, string>): ServerResponse;
    end(): void;
  }
  interface Server {
    listen(port: number): void;
    on(event: "close", listener: () => void): void;
  }
  function createServer(
    options: { requestTimeout: number },
    listener: (request: IncomingMessage, response: ServerResponse) => void,
  ): Server;
}

declare module "node:process" {
  const env: Readonly<Record<string, string | undefined>>;
}

declare module "node:net" {
  interface Emitter {
    once(event: string, listener: (error: Error & { code?: string }) => void): void;
  }
  interface Server extends Emitter {
    listen(path: string): void;
    close(listener: () => void): void;
    unref(): void;
  }
  interface Socket extends Emitter {
    destroy(): void;
  }
  function createServer(listener: (socket: Socket) => void): Server;
  function connect(path: string): Socket;
}

declare module "node:path" {
  function join(...parts: string[]): string;
  function resolve(path: string): string;
}
