import {
  checkBoolean,
  checkEnum,
  checkInteger,
  checkList,
  checkNumber,
  checkObject,
  checkPercent,
  checkString,
  checkStringMap,
  checkTime,
  orNullCheck,
  type Check,
} from './field-checks';

const name = checkString({ min: 2, max: 4 });
const share = checkNumber({ min: -1, max: 1 });
const count = checkInteger({ min: 0, max: 10 });
const tags = checkList(name, { max: 2 });
const labels = checkStringMap({ maxPairs: 2, maxKey: 3, maxValue: 4 });
const hours = checkObject({ from: count, zone: name }, ['from']);

/** What a check accepts, and what it refuses with the type of the finding and the path to it. */
const CASES: Record<
  string,
  { check: Check; accepts: unknown[]; refuses: [value: unknown, type: string, path?: (string | number)[]][] }
> = {
  text: {
    check: name,
    accepts: ['ab', 'abcd', '🎈🎈🎈🎈', ' ab '],
    refuses: [
      ...[12, null, undefined, true, ['ab'], {}].map((value) => [value, 'string_type'] as [unknown, string]),
      ['', 'string_too_short'],
      ['🎈', 'string_too_short'],
      // Only what can be seen counts.
      ['a   ', 'string_too_short'],
      ['\u200b\u2060\ufeff', 'string_too_short'],
      ['abcde', 'string_too_long'],
      [`a${' '.repeat(900_000)}b`, 'string_too_long'],
    ],
  },
  number: {
    check: share,
    accepts: [-1, 0, -0, 0.5, 1],
    refuses: [
      ...['half', '0.5', true, null, NaN, Infinity, []].map(
        (value) => [value, 'float_type'] as [unknown, string],
      ),
      [-1.01, 'greater_than_equal'],
      [1.01, 'less_than_equal'],
      [1e308, 'less_than_equal'],
    ],
  },
  'whole number': {
    check: count,
    accepts: [0, 10, 3.0],
    refuses: [
      ...['7', 'seven', null, false].map((value) => [value, 'int_type'] as [unknown, string]),
      [1.5, 'int_from_float'],
      [NaN, 'int_from_float'],
      [-1, 'greater_than_equal'],
      [11, 'less_than_equal'],
      [2 ** 53, 'less_than_equal'],
    ],
  },
  'truth value': {
    check: checkBoolean,
    accepts: [true, false],
    refuses: ['true', 1, null].map((value) => [value, 'bool_type']),
  },
  'one of some': {
    check: checkEnum(['mp3', 'wav']),
    accepts: ['mp3', 'wav'],
    refuses: ['MP3', '', 1, ['mp3'], null].map((value) => [value, 'enum']),
  },
  time: {
    check: checkTime,
    accepts: ['2030-01-31', '2030-01-31T12:00:00Z', '2028-02-29'],
    refuses: ['tomorrow', '2030-02-30', '2030-01-31T12:00:00', 1_900_000_000, null].map((value) => [
      value,
      'datetime_parsing',
    ]),
  },
  list: {
    check: tags,
    accepts: [[], ['ab'], ['ab', 'cd']],
    refuses: [
      ['ab', 'list_type'],
      [{ 0: 'ab' }, 'list_type'],
      [['ab', 'cd', 'ef'], 'too_long'],
      [['ab', 7], 'string_type', [1]],
    ],
  },
  map: {
    check: labels,
    accepts: [{}, { a: 'b', c: '' }],
    refuses: [
      [[], 'dict_type'],
      [null, 'dict_type'],
      ['a', 'dict_type'],
      [{ a: '', b: '', c: '' }, 'too_long'],
      [{ a: 1 }, 'string_type', ['a']],
      [{ a: { b: 'c' } }, 'string_type', ['a']],
      [{ a: 'abcde' }, 'string_too_long', ['a']],
      [{ abcd: '' }, 'string_too_long', ['abcd.[key]']],
    ],
  },
  object: {
    check: hours,
    accepts: [{ from: 1 }, { from: 1, zone: 'UTC' }],
    refuses: [
      [[], 'dict_type'],
      [{}, 'missing', ['from']],
      [{ from: 1, to: 2 }, 'extra_forbidden', ['to']],
      [{ from: 1, toString: 2 }, 'extra_forbidden', ['toString']],
      [{ from: 11 }, 'less_than_equal', ['from']],
    ],
  },
  'null or a number': { check: orNullCheck(share), accepts: [null, 1], refuses: [[undefined, 'float_type']] },
  'number of a query': {
    check: checkPercent,
    accepts: ['1', '100'],
    refuses: ['0', '101', '1.5', ' 1', '01', '', 1].map((value) => [value, 'int_parsing']),
  },
};

describe.each(Object.entries(CASES))('%s', (_, { check, accepts, refuses }) => {
  it.each(accepts.map((value) => [value]))('takes %j', (value) => {
    expect(check(value)).toEqual([]);
  });

  it.each(refuses.map(([value, type, path]) => ({ value, type, path })))(
    'refuses $value: $type',
    ({ value, type, path }) => {
      expect(check(value)).toMatchObject([
        { type, msg: expect.any(String) as string, ...(path && { path }) },
      ]);
    },
  );
});

it('names the bound, the values that are accepted, and what was given inside', () => {
  expect(name('')).toMatchObject([
    { msg: 'String should have at least 2 characters', ctx: { min_length: 2 } },
  ]);
  expect(name('abcde')).toMatchObject([{ ctx: { max_length: 4 } }]);
  expect([share(2), share(-2)]).toMatchObject([[{ ctx: { le: 1 } }], [{ ctx: { ge: -1 } }]]);
  expect(checkEnum(['mp3', 'wav', 'pcm'])('')).toMatchObject([
    { ctx: { expected: "'mp3', 'wav' or 'pcm'" } },
  ]);
  expect(tags([7])).toMatchObject([{ path: [0], input: 7 }]);
  expect(tags(['ab', 'cd', 'ef'])).toMatchObject([{ ctx: { max_length: 2, actual_length: 3 } }]);
});

it.each([
  ['a number', share, '0.5', 0.5],
  ['a number that is none', share, 'half', 'half'],
  ['a whole number', count, ' 7 ', 7],
  ['a truth value', checkBoolean, 'Yes', true],
  ['a truth value as a number', checkBoolean, 0, false],
  ['a list of numbers', checkList(share, { max: 2 }), ['1', 'x'], [1, 'x']],
  ['null', orNullCheck(count), null, null],
])('%s as a lenient reader takes it', (_, check, given, taken) => {
  expect(check.readLeniently!(given)).toEqual(taken);
});
