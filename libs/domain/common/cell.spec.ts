import { randomBytes, randomUUID } from 'node:crypto';
import { cellOfSecret, generateSecret, secretKind } from '../keys/api-key-secret';
import {
  accountIdIn,
  cellOfAccountId,
  cellOfVoiceId,
  FIRST_CELL,
  isCell,
  newKeyId,
  newVoiceId,
} from './cell';
import { isPublicId } from './public-id';
import { isUuid } from './uuid';

const CELLS = [FIRST_CELL, '01', 'eU', 'zz'];

it.each(CELLS)(
  'keys, tokens, accounts and voices of the cell %s say so, and have the form of all others',
  (cell) => {
    for (const kind of ['api_key', 'single_use_token'] as const) {
      const secret = generateSecret(kind, randomBytes, cell);
      expect(secret).toHaveLength(42);
      expect(secretKind(secret)).toBe(kind);
      expect(cellOfSecret(secret)).toBe(cell);
    }
    const accountId = accountIdIn(cell, randomUUID());
    expect(isUuid(accountId)).toBe(true);
    expect(cellOfAccountId(accountId)).toBe(cell);
    const keyId = newKeyId(accountId, randomUUID());
    expect([isUuid(keyId), cellOfAccountId(keyId), keyId === accountId]).toEqual([true, cell, false]);
    const voiceId = newVoiceId(accountId, randomBytes);
    expect(isPublicId(voiceId)).toBe(true);
    expect(cellOfVoiceId(voiceId)).toBe(cell);
  },
);

it('a random part is never read as a mark', () => {
  const zeros = (size: number) => new Uint8Array(size).fill('gcAB'.charCodeAt(0) % 62);
  expect(cellOfSecret(generateSecret('api_key', zeros))).toBe(FIRST_CELL);
  let bytes = 0;
  // The first voice id would begin with `gc`.
  const asMarked = (size: number) => Uint8Array.from({ length: size }, () => [42, 38][bytes++] ?? 7);
  expect(newVoiceId(randomUUID(), asMarked)).not.toMatch(/^gc/);
  expect(bytes).toBeGreaterThan(20);
  for (let round = 0; round < 1_000; round++) expect(cellOfAccountId(randomUUID())).toBe(FIRST_CELL);
});

it('what is mistyped or of another system belongs to no cell', () => {
  const secret = generateSecret('api_key', randomBytes, 'eU');
  expect(cellOfSecret(`gck_00${secret.slice(6)}`)).toBeNull();
  expect(cellOfSecret('sk-live-0123456789abcdef0123')).toBeNull();
});

it.each(['', '0', '000', 'é0', '0-'])('%j is no mark', (text) => expect(isCell(text)).toBe(false));
