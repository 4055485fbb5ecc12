import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { LeaseLost } from '../kernel/lease.js';
import { assertOneRecipient, type Mailer } from './mailer.js';

/**
 * Keeps each mail as one .eml file instead of sending it. The file is named after the Message-ID, so the
 * same message twice is one file, as it is one message in a mailbox.
 */
export function makeFileMailer({ directory, from }: { directory: string; from: string }): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async send(mail, lease) {
      assertOneRecipient(mail.to.address);
      const { message } = await composer.sendMail({ from, ...mail });
      const path = join(
        directory,
        `${mail.messageId.replace(/^<|>$/g, '').replace(/[^A-Za-z0-9@.-]/g, '_')}.eml`,
      );
      await mkdir(directory, { recursive: true });
      const temporary = `${path}.${randomUUID()}.tmp`;
      await writeFile(temporary, message);
      if (!lease.isHeld()) throw new LeaseLost('The lease ran out before the mail was kept');
      await rename(temporary, path);
    },
  };
}
