import { canonicalList, checkExternalId, checkTag, checkTags, MAX_TAGS } from './tags';

it.each(['a', 'team:red', 'v1.2_x-y', 'x'.repeat(40)])('takes the tag %s', (tag) => {
  expect(checkTag(tag)).toEqual([]);
});

it.each(['', 'Team', 'two words', 'café', 'x'.repeat(41), 'a,b', 7, null])('refuses the tag %j', (tag) => {
  expect(checkTag(tag)).toMatchObject([{ msg: expect.stringContaining('a-z, 0-9') as string }]);
});

it('takes at most 20 different tags, and names the one that is wrong', () => {
  const tags = Array.from({ length: MAX_TAGS + 1 }, (_, number) => `tag-${number}`);
  expect(checkTags(tags.slice(1))).toEqual([]);
  expect(checkTags(tags)).toMatchObject([{ type: 'too_long' }]);
  expect(checkTags('a')).toMatchObject([{ type: 'list_type' }]);
  expect(checkTags(['ok', 'NO'])).toMatchObject([{ path: [1], input: 'NO' }]);
});

it('stores each tag once, in order', () => {
  expect(canonicalList(['b', 'a', 'b'])).toEqual(['a', 'b']);
});

it.each(['x', 'CRM 4711/ä', 'x'.repeat(100)])('takes the external id %s', (id) => {
  expect(checkExternalId(id)).toEqual([]);
});

it.each(['', ' x', 'x ', 'a\nb', 'a\u0000b', 'a\u202eb', 'x'.repeat(101), 7])(
  'refuses the external id %j',
  (id) => {
    expect(checkExternalId(id)).toHaveLength(1);
  },
);
