import { withSchema, type Check } from './field-checks';

/** Tags of one account or key. */
export const MAX_TAGS = 20;

const TAG = /^[a-z0-9_.:-]{1,40}$/;
const ONE_TAG = '1 to 40 characters of a-z, 0-9, - _ . :';

/** A tag: what staff file accounts and keys under. */
export const checkTag: Check = withSchema({ type: 'string', pattern: TAG.source }, (value) =>
  typeof value === 'string' && TAG.test(value)
    ? []
    : [{ type: 'tag', msg: `Input should be a tag: ${ONE_TAG}`, ctx: { accepted: ONE_TAG } }],
);

const TAGS_SCHEMA = {
  type: 'array',
  items: { type: 'string', pattern: TAG.source },
  maxItems: MAX_TAGS,
} as const;

/** A list of at most 20 tags. */
export const checkTags: Check = withSchema(TAGS_SCHEMA, (value) => {
  if (!Array.isArray(value)) return [{ type: 'list_type', msg: 'Input should be a list of tags' }];
  if (new Set(value).size > MAX_TAGS) {
    const msg = `List should have at most ${MAX_TAGS} tags`;
    return [{ type: 'too_long', msg, ctx: { max_length: MAX_TAGS, actual_length: value.length } }];
  }
  return value.flatMap((tag: unknown, index) =>
    checkTag(tag).map((finding) => ({ ...finding, path: [index], input: tag })),
  );
});

/** A list whose order says nothing, as it is stored: each once, sorted. */
export function canonicalList<T extends string>(input: readonly T[]): T[] {
  return [...new Set(input)].sort();
}

const MAX_EXTERNAL_ID = 100;
const EXTERNAL_ID = /^[^\p{C}\p{Z}](?:[^\p{C}]*[^\p{C}\p{Z}])?$/u;
const EXTERNAL_ID_TEXT = `1 to ${MAX_EXTERNAL_ID} printable characters, without spaces at its ends`;

/** What another system calls an account or a key. */
export const checkExternalId: Check = withSchema(
  { type: 'string', minLength: 1, maxLength: MAX_EXTERNAL_ID },
  (value) =>
    typeof value === 'string' && value.length <= MAX_EXTERNAL_ID && EXTERNAL_ID.test(value)
      ? []
      : [
          {
            type: 'external_id',
            msg: `Input should be ${EXTERNAL_ID_TEXT}`,
            ctx: { accepted: EXTERNAL_ID_TEXT },
          },
        ],
);
