import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFileMailer } from '../../src/notifications/file-mailer.js';
import { type Mailer, MailRefused } from '../../src/notifications/mailer.js';
import { HELD } from '../helpers/leases.js';
import { aMail, describeMailer, FROM } from './mailer-suite.js';

let parent: string;
let directory: string;
let mailer: Mailer;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'folio-mail-'));
  directory = join(parent, 'mail');
  mailer = makeFileMailer({ directory, from: FROM });
});
afterAll(() => rm(parent, { recursive: true, force: true }));

async function filesIn(path: string): Promise<string[]> {
  return (await readdir(path, { recursive: true }).catch(() => [])).sort();
}

describe('mail kept as files', () => {
  describeMailer({
    mailer: () => mailer,
    async arrived(messageId) {
      const files = await filesIn(directory);
      const messages = await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8')));
      return messages.filter((message) => message.includes(messageId));
    },
  });

  test('is one file for one Message-ID, however often it is sent', async () => {
    const own = join(parent, 'own');
    const mail = aMail({ messageId: '<0193e3a4-7c1e-7d3b-9f00-0123456789ab@folio>' });
    for (let sent = 0; sent < 3; sent += 1)
      await makeFileMailer({ directory: own, from: FROM }).send(mail, HELD);
    expect(await filesIn(own)).toEqual(['0193e3a4-7c1e-7d3b-9f00-0123456789ab@folio.eml']);
  });

  test('is one file also where it is sent twice at once', async () => {
    const own = join(parent, 'at-once');
    const mail = aMail();
    const mailers = Array.from({ length: 8 }, () => makeFileMailer({ directory: own, from: FROM }));
    await Promise.all(mailers.map((each) => each.send(mail, HELD)));
    expect(await filesIn(own)).toHaveLength(1);
  });

  test('stays in its directory, whatever its Message-ID', async () => {
    for (const messageId of [
      '<../../up@folio>',
      '</etc/passwd@folio>',
      '<..>',
      '<a\0b@folio>',
      `<${'x'.repeat(300)}@y>`,
    ]) {
      await mailer.send(aMail({ messageId }), HELD).catch(() => undefined);
    }
    for (const name of await filesIn(directory)) expect(name).toMatch(/^[\w@.-]+\.eml$/);
    expect(await filesIn(parent)).not.toContain('up@folio.eml');
  });

  test('that cannot be kept now may be kept later: no refusal', async () => {
    const path = join(parent, 'a-file');
    await writeFile(path, 'in the way');
    const sent = makeFileMailer({ directory: path, from: FROM }).send(aMail(), HELD);
    await expect(sent).rejects.toThrow(/ENOTDIR|EEXIST/);
    await expect(sent).rejects.not.toBeInstanceOf(MailRefused);
  });
});
