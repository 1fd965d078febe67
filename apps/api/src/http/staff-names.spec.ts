import { addressesIn } from './staff-names';

it('reads the addresses of a page at most, from fields that name people, however deep', () => {
  const body = {
    owner: { email: 'customer@example.com' },
    undo: { changed_by: 'ana@example.com', decided_by: 'ruleset' },
    items: [{ after: { manager: 'bo@example.com' } }, { by: 'ana@example.com' }, null],
  };
  expect([...addressesIn(body)]).toEqual(['ana@example.com', 'bo@example.com']);
  const many = Array.from({ length: 300 }, (_, place) => ({ added_by: `${place}@example.com` }));
  expect(addressesIn({ items: many }).size).toBe(200);
});
