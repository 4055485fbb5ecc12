import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { TestDatabase } from './database.js';

interface Fault {
  how: 'cut before' | 'cut after' | 'swallow the answer';
  text: string;
  happened: () => void;
}

export interface DatabaseProxy {
  /** Of the same database, by way of the proxy. */
  url: string;
  /** Passes everything on; or ends what is open and every new connection; or goes on in silence. */
  behave(how: 'passes' | 'resets' | 'hangs'): void;
  /**
   * What happens to the next COMMIT alone, or to the next message that has another text in it: its connection
   * is cut before it reaches the server, or as soon as the server has answered it, or its answer and whatever
   * follows is swallowed. Nobody is told.
   *
   * @returns when it has happened.
   */
  atNext(how: Fault['how'], text?: string): Promise<void>;
}

/** A network between the service and its database, which can be lost and found again. */
export function useDatabaseProxy(database: TestDatabase): DatabaseProxy {
  const sockets = new Set<Socket>();
  let behaviour: 'passes' | 'resets' | 'hangs' = 'passes';
  let fault: Fault | undefined;

  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((client) => {
    keep(client);
    if (behaviour === 'resets') return void client.destroy();
    const { hostname, port } = new URL(database.url);
    const upstream = connect(Number(port), hostname);
    keep(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    let struck: typeof fault;
    client.on('data', (chunk) => {
      if (behaviour !== 'passes') return;
      if (fault && chunk.includes(fault.text)) {
        struck = fault;
        fault = undefined;
      }
      if (struck?.how !== 'cut before') return void upstream.write(chunk);
      client.destroy();
      struck.happened();
    });
    upstream.on('data', (chunk) => {
      if (behaviour !== 'passes') return;
      if (!struck) return void client.write(chunk);
      if (struck.how === 'cut after') client.destroy();
      struck.happened();
    });
  });

  const proxy: DatabaseProxy = {
    url: '',
    behave(how) {
      behaviour = how;
      // What hung is out of step with its server and could not go on.
      if (how !== 'hangs') endAll();
    },
    atNext: (how, text = 'COMMIT') =>
      new Promise((resolve) => {
        fault = { how, text, happened: resolve };
      }),
  };
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    proxy.url = url.href;
  });
  afterAll(() => {
    endAll();
    server.close();
  });
  return proxy;
}
