import fc from 'fast-check';
import { expect, test } from 'vitest';
import { publicId, uuidOf } from '../../src/kernel/ids.js';

const UUID = '0193e3a4-7c1e-7d3b-9f00-0123456789ab';

test('a public id says what it names and leads back to its UUID', () => {
  expect(publicId('inv', UUID)).toMatch(/^inv_[0-9a-z]{26}$/);
  expect(publicId('dl', UUID)).toMatch(/^dl_[0-9a-z]{26}$/);
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom('inv', 'dl'), (uuid, prefix) => {
      expect(uuidOf(prefix, publicId(prefix, uuid))).toBe(uuid);
    }),
  );
});

test('public ids are ordered as their UUIDs are', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      expect(publicId('inv', one) < publicId('inv', other)).toBe(one < other);
    }),
  );
});

const id = publicId('inv', UUID);
test.each([
  ['empty', ''],
  ['of another kind', publicId('dl', UUID)],
  ['a bare UUID', UUID],
  ['without its prefix', id.slice(4)],
  ['with another prefix in front', `x_${id}`],
  ['one character short', id.slice(0, -1)],
  ['one character longer', `${id}0`],
  ['in capitals', id.toUpperCase()],
  ['its suffix in capitals', `inv_${id.slice(4).toUpperCase()}`],
  ['with a letter that base 32 leaves out', `inv_${'u'.repeat(26)}`],
  ['larger than 128 bits', 'inv_8zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['with a space', `${id} `],
  ['with a line behind', `${id}\n`],
  ['with NUL', `${id}\0`],
  ['a path', 'inv_../../../../../etc/passwd'],
  ['SQL', "inv_' OR 1=1 --"],
  ['not ASCII', `inv_${'ż'.repeat(26)}`],
  ['a name of Object', '__proto__'],
  ['a megabyte', `inv_${'0'.repeat(1_000_000)}`],
])('an id that we cannot have given out names nothing: %s', (_, given) => {
  expect(uuidOf('inv', given)).toBeUndefined();
});
