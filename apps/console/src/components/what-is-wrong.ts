interface Checked {
  type: string;
  validity: Record<
    | 'valueMissing'
    | 'typeMismatch'
    | 'badInput'
    | 'tooShort'
    | 'tooLong'
    | 'rangeUnderflow'
    | 'rangeOverflow',
    boolean
  >;
  minLength?: number;
  maxLength?: number;
  min?: string;
  max?: string;
}

/** Why a browser does not send a field, in a sentence: its own words differ with its make and language. */
export function whatIsWrong({ type, validity, minLength, maxLength, min, max }: Checked): string {
  if (validity.valueMissing) return type.startsWith('date') ? 'Choose a date.' : 'Fill this in.';
  if (validity.typeMismatch)
    return type === 'email'
      ? 'Write an e-mail address, such as ana@example.com.'
      : 'Write a full address, such as https://example.com/hook.';
  if (validity.badInput) return type === 'number' ? 'Write a number.' : 'Choose a full date.';
  if (validity.tooShort) return `Write at least ${minLength} characters.`;
  if (validity.tooLong) return `Write at most ${maxLength} characters.`;
  if (validity.rangeUnderflow) return `The least is ${min}.`;
  if (validity.rangeOverflow) return `The most is ${max}.`;
  return 'This cannot be sent as it is.';
}
