import { DomainError } from '@app/domain/errors';
import * as fc from 'fast-check';
import { decodeCursor, encodeCursor, readPage, toPage, type Position } from './pagination';

const list = { name: 'accounts', filter: { tier: 'pro', search: undefined }, sort: 'name' };

describe('a cursor', () => {
  it('gives its position back', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }).filter((s) => s.isWellFormed() && !s.includes('\0')),
      fc.integer(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (position: Position) => {
        expect(decodeCursor(encodeCursor(position, list), list, position.length)).toEqual(position);
      }),
    );
  });

  it.each([
    ['another list', { ...list, name: 'keys' }, /another list \('accounts'\)/],
    ['another filter', { ...list, filter: { tier: 'free' } }, /another filter or order/],
    ['another order', { ...list, sort: 'created' }, /another filter or order/],
  ])('is refused by %s', (_, other, expected) => {
    const cursor = encodeCursor(['a', 1], list);
    expect(() => decodeCursor(cursor, other, 2)).toThrow(expected);
  });

  it('of the longest name is no longer than is accepted', () => {
    const unprintable = String.fromCharCode(1);
    for (const character of ['漢', '🎙', '\\u0000', '"', unprintable]) {
      const position = [[...character.repeat(500)].slice(0, 500).join(''), 'x'.repeat(36)];
      expect(decodeCursor(encodeCursor(position, list), list, 2)).toEqual(position);
    }
  });

  it('is refused with a character that no database stores', () => {
    const cursor = encodeCursor(['a\0'], list);
    expect(() => decodeCursor(cursor, list, 1)).toThrow(/it is damaged/);
  });

  it('does not depend on filters that are not given', () => {
    const cursor = encodeCursor(['a'], { name: 'accounts', filter: { b: 1, a: 2 } });
    expect(decodeCursor(cursor, { name: 'accounts', filter: { a: 2, c: undefined, b: 1 } }, 1)).toEqual([
      'a',
    ]);
  });

  it('of any text is a refusal and nothing else', () => {
    const anyCursor = fc.oneof(
      fc.string(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(['accounts', value])).toString('base64url')),
    );
    fc.assert(
      fc.property(anyCursor, (cursor) => {
        expect(() => decodeCursor(cursor, list, 1)).toThrow(DomainError);
      }),
    );
  });
});

describe('toPage', () => {
  const rows = [1, 2, 3];
  const page = (limit: number) => toPage(rows.slice(0, limit + 1), limit, list, 3, (row) => [row]);

  it('returns the position of the last row that is shown, as long as there are more', () => {
    expect(decodeCursor(page(2).next_cursor!, list, 1)).toEqual([2]);
    expect(page(2).items).toEqual([1, 2]);
  });

  it.each([3, 4])('has no cursor on the last page (limit %i)', (limit) => {
    expect(page(limit)).toEqual({ items: rows, next_cursor: null, total: 3 });
  });
});

describe('readPage', () => {
  it('begins at the beginning with 50', () => {
    expect(readPage({}, list, 1)).toEqual({ limit: 50, after: null });
  });

  it.each(['0', '201', '-1', '1.5', '1e2', 'NaN', '٣'])('refuses a limit of %s', (limit) => {
    expect(() => readPage({ limit }, list, 1)).toThrow(/a whole number from 1 to 200/);
  });
});
