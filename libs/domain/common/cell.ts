import { randomBase62, type RandomBytes } from './base62';
import { newPublicId } from './public-id';

/**
 * A cell is a whole installation; several of them share the customers of a platform, each account in one. What names a cell
 * are two alphanumerics, its mark. Keys, single-use tokens, and the ids of accounts, keys and voices carry it, so that a proxy can
 * route a request without a look-up. The first cell has no mark: an installation is the first cell unless `CELL`
 * says otherwise, and everything without a mark belongs to it.
 */
export const FIRST_CELL = '00';
const MARK = /^[0-9A-Za-z]{2}$/;

/** A voice id that begins so has a mark behind it. */
const MARKED_VOICE = 'gc';
const MARKED_VOICE_ID = /^gc([0-9A-Za-z]{2})[0-9A-Za-z]{16}$/;
/** A UUID of version 8 (RFC 9562) begins with the two characters of the mark, in ASCII. */
const MARKED_UUID = /^([0-9a-f]{2})([0-9a-f]{2})[0-9a-f]{4}-[0-9a-f]{4}-8/;

/** Whether a text is a mark. */
export function isCell(text: string): boolean {
  return MARK.test(text);
}

/** The id of a new account, from a random UUID. */
export function accountIdIn(cell: string, uuid: string): string {
  if (cell === FIRST_CELL) return uuid;
  return `${Buffer.from(cell, 'latin1').toString('hex')}${uuid.slice(4, 14)}8${uuid.slice(15)}`;
}

/** The id of a new key, from a random UUID: of the cell that its account was opened in. */
export function newKeyId(accountId: string, uuid: string): string {
  return accountIdIn(cellOfAccountId(accountId), uuid);
}

/** The cell that an account was opened in, by its id or by that of one of its keys. */
export function cellOfAccountId(id: string): string {
  const marked = MARKED_UUID.exec(id);
  if (!marked) return FIRST_CELL;
  const cell = Buffer.from(`${marked[1]}${marked[2]}`, 'hex').toString('latin1');
  return isCell(cell) ? cell : FIRST_CELL;
}

/** The id of a new voice, 20 alphanumerics: of the cell that its account was opened in. */
export function newVoiceId(accountId: string, randomBytes: RandomBytes): string {
  const cell = cellOfAccountId(accountId);
  if (cell !== FIRST_CELL) return MARKED_VOICE + cell + randomBase62(16, randomBytes);
  const id = newPublicId(randomBytes);
  return id.startsWith(MARKED_VOICE) ? newVoiceId(accountId, randomBytes) : id;
}

/** The cell that a voice was created in. */
export function cellOfVoiceId(id: string): string {
  return MARKED_VOICE_ID.exec(id)?.[1] ?? FIRST_CELL;
}
