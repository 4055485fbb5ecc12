import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import type { Clock } from '../kernel/clock.js';
import type { Mailer } from '../notifications/mailer.js';
import type { OrderSource } from '../orders/order-source.js';
import type { Renderer } from '../pdf/renderer.js';
import type { Queue } from '../queue/boss.js';
import type { DownloadSigner } from '../storage/download-signature.js';
import type { ObjectStorage } from '../storage/object-storage.js';

/** Ports that whoever embeds Folio fills otherwise than its settings would. */
export interface Adapters {
  orders?: OrderSource;
  clock?: Clock;
  storage?: ObjectStorage;
  renderer?: Renderer;
  mailer?: Mailer;
}

/** What every role is made of. */
export interface Parts {
  config: Config;
  adapters: Adapters;
  log: Logger;
  clock: Clock;
  db: Db;
  queue: Queue;
  storage: ObjectStorage;
  signer: DownloadSigner;
  /** Whatever a role starts is stopped in reverse. */
  started: AsyncDisposableStack;
}
