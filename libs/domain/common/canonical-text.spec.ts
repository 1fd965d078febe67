import { canonicalText } from './canonical-text';

const [COMPOSED, DECOMPOSED] = ['Jos\u00e9', 'Jose\u0301'];

it.each([
  ['a text', DECOMPOSED, COMPOSED],
  [
    'texts in lists and objects',
    { names: [DECOMPOSED], [DECOMPOSED]: 1 },
    { names: [COMPOSED], [COMPOSED]: 1 },
  ],
  [
    'no text but one of an endless run of marks',
    `${DECOMPOSED}${'\u0301\u0323'.repeat(16)}`,
    `${DECOMPOSED}${'\u0301\u0323'.repeat(16)}`,
  ],
  ['no text', [1, true, null, undefined], [1, true, null, undefined]],
])('composes %s', (_, input, composed) => {
  expect(canonicalText<unknown>(input)).toEqual(composed);
});

it('keeps what is not plain, and a name that objects have', () => {
  const bytes = Buffer.from('x');
  expect(canonicalText(bytes)).toBe(bytes);
  const input = JSON.parse(`{"__proto__": "${DECOMPOSED}"}`) as object;
  expect(Object.entries(canonicalText(input))).toEqual([['__proto__', COMPOSED]]);
});
