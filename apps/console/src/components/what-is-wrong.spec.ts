import { whatIsWrong } from './what-is-wrong';

const NOTHING = {
  valueMissing: false,
  typeMismatch: false,
  badInput: false,
  tooShort: false,
  tooLong: false,
  rangeUnderflow: false,
  rangeOverflow: false,
};

it.each([
  ['text', { valueMissing: true }, 'Fill this in.'],
  ['datetime-local', { valueMissing: true }, 'Choose a date.'],
  ['email', { typeMismatch: true }, 'Write an e-mail address, such as ana@example.com.'],
  ['url', { typeMismatch: true }, 'Write a full address, such as https://example.com/hook.'],
  ['number', { badInput: true }, 'Write a number.'],
  ['date', { badInput: true }, 'Choose a full date.'],
  ['text', { tooShort: true }, 'Write at least 3 characters.'],
  ['text', { tooLong: true }, 'Write at most 9 characters.'],
  ['number', { rangeUnderflow: true }, 'The least is 1.'],
  ['number', { rangeOverflow: true }, 'The most is 5.'],
  ['text', {}, 'This cannot be sent as it is.'],
])('a field of type %s with %j: %s', (type, found, sentence) => {
  const validity = { ...NOTHING, ...found };
  expect(whatIsWrong({ type, validity, minLength: 3, maxLength: 9, min: '1', max: '5' })).toBe(sentence);
});
