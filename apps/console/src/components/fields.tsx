import { clockText, localDay } from '@app/domain/common/date-text';
import { DAY_MS } from '@app/domain/common/utc-days';
import { readTypedNumber } from '@app/domain/common/typed-number';
import { useState, type ChangeEvent, type FormEvent, type InvalidEvent, type ReactNode } from 'react';
import {
  Button,
  Checkbox,
  type CheckboxProps,
  Group,
  NativeSelect,
  Stack,
  type NativeSelectProps,
  TextInput,
} from '@mantine/core';
import { fieldProblem, toProblem } from '../api/problem';
import { whatIsWrong } from './what-is-wrong';
import { differences, type Described } from './changed-fields';
import { Banner } from './banner';

type TypedElement = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * The values of a form. `text('name')` gives an input its value and what is wrong with it, in a sentence at the field: what the
 * browser finds before it sends the form, in place of its bubble, or what the server said, of which `keep` takes note.
 *
 *     const fields = useFields({ name: '', tier: 'free' });
 *     <ActionDialog form={fields} …>
 *       <TextInput label="Name" {...fields.text('name')} />
 *
 * `begin`: the one in which a dialog begins.
 */
export function useFields<T extends Record<string, string>>(initial: T, begin?: string) {
  const [values, setValues] = useState(initial);
  const [wrong, setWrong] = useState<Partial<Record<keyof T, string>>>({});
  const { problem: refusal, keep } = useRefusal();
  const set = (patch: Partial<T>) => {
    setValues((before) => ({ ...before, ...patch }));
    // What is typed again is checked again when it is sent.
    const remaining = Object.entries(wrong).filter(([name]) => !(name in patch));
    if (remaining.length < Object.keys(wrong).length) setWrong(Object.fromEntries(remaining) as typeof wrong);
  };
  const text = (name: keyof T & string, problem: unknown = refusal) => ({
    name,
    ...(name === begin && { 'data-autofocus': true }),
    value: values[name] ?? '',
    onChange: (event: ChangeEvent<TypedElement>) => set({ [name]: event.currentTarget.value } as Partial<T>),
    onInvalid: (event: InvalidEvent<TypedElement>) => {
      const sentence = sayInstead(event);
      setWrong((before) => ({ ...before, [name]: sentence }));
    },
    error: wrong[name] ?? fieldProblem(problem, name),
  });
  return { values, set, text, problem: refusal, keep };
}

export type Form = ReturnType<typeof useFields<Record<string, string>>>;

/** Keeps the browser from showing its bubble, brings the cursor to the first such field, and returns what to say there. */
function sayInstead(event: InvalidEvent<TypedElement>): string {
  event.preventDefault();
  const input = event.currentTarget;
  if (input.form?.querySelector(':is(input, textarea, select):invalid') === input) input.focus();
  return whatIsWrong(input);
}

/** A form's submit handler that stays on the page. */
export const submitting = (action: () => void) => (event: FormEvent) => {
  event.preventDefault();
  action();
};

/** A number that was typed, or null for an empty field. What is not a number goes to the server as it is, to be refused in its words. */
export function toNumber(text: string): number | null {
  const read = readTypedNumber(text);
  return 'value' in read ? read.value : (text as unknown as number);
}

export function useRefusal() {
  const [problem, setProblem] = useState<unknown>(null);
  const keep = (error: unknown): never => {
    setProblem(error);
    throw error;
  };
  return { problem, keep };
}

/**
 * A resource while a form changes it. `begun` is what the form was filled from, and `base` is what it is saved against: the same,
 * so that a change that came first is never overwritten unseen. Once it was refused for that, `theirs` says what the other
 * change has done, and `base` is the newest version.
 */
export function useEdited<T>(resource: T, describe: (resource: NonNullable<T>) => Described) {
  const [begun] = useState(resource);
  const [isOvertaken, setOvertaken] = useState(false);
  const { problem, keep: keepProblem } = useRefusal();
  const keep = (error: unknown): never => {
    if (toProblem(error).status === 412) setOvertaken(true);
    return keepProblem(error);
  };
  const base = isOvertaken ? resource : begun;
  const theirs = begun && base ? differences(describe(begun), describe(base)) : [];
  return {
    begun,
    base,
    problem,
    keep,
    theirs,
    /** What has come first concerns nothing of the form, such as a rotation of the key in another tab. */
    isUnaffected: base !== begun && theirs.length === 0,
  };
}

export type Edited = ReturnType<typeof useEdited>;

export function TheirChanges({ theirs }: { theirs: readonly string[] }) {
  if (theirs.length === 0) return null;
  return (
    <Banner tone="warn" title="Changed by another person since you opened this:">
      <ul>
        {theirs.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      What you have not changed here stays as they left it.
    </Banner>
  );
}

export function Choice<T extends string>({
  onPick,
  ...props
}: Omit<NativeSelectProps, 'onChange' | 'value'> & { value: T | undefined; onPick: (value: T) => void }) {
  return <NativeSelect {...props} onChange={(event) => onPick(event.currentTarget.value as T)} />;
}

export function Tick(props: Omit<CheckboxProps, 'onChange'> & { onPick: (checked: boolean) => void }) {
  const { onPick, ...box } = props;
  return <Checkbox {...box} onChange={(event) => onPick(event.currentTarget.checked)} />;
}

export function DaysChoice(props: { days: number; choices: number[]; onPick: (days: number) => void }) {
  const { days, choices, onPick } = props;
  return (
    <Choice
      size="xs"
      aria-label="Days"
      value={String(days)}
      onPick={(value) => onPick(Number(value))}
      data={choices.map((each) => ({ value: String(each), label: each === 1 ? '24 hours' : `${each} days` }))}
    />
  );
}

export function Checks<Value extends string>(props: {
  label: string;
  all: readonly Value[];
  /** What one is called, unless it is what it is. */
  nameOf?: (value: Value) => string;
  value: Value[];
  onChange: (value: Value[]) => void;
  required?: boolean;
  error?: ReactNode;
}) {
  const { all, nameOf = String, ...group } = props;
  return (
    <Checkbox.Group {...group}>
      <Stack gap={6} mt={4}>
        {all.map((value) => (
          <Checkbox key={value} value={value} label={nameOf(value)} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

type Field = ReturnType<Form['text']>;

/** When what a form raises goes back to what it is now; empty for never. */
export function UntilInput({ what, field }: { what: string; field: Field }) {
  return (
    <TextInput
      type="datetime-local"
      label="Until"
      description={`For an increase that ends: ${what} then. Empty for one that stays.`}
      {...field}
    />
  );
}

/** An instant as an input of the type `datetime-local` wants it, in the reader's zone. */
export function toLocalInput(at: string | null): string {
  return at === null ? '' : `${localDay(at)}T${clockText(at)}`;
}

export function fromLocalInput(text: string): string | null {
  if (text === '') return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

export const inDays = (days: number): string =>
  toLocalInput(new Date(Date.now() + days * DAY_MS).toISOString());

const DAYS = [30, 90, 365];

export function ExpiryPresets({ onPick }: { onPick: (expiresAt: string) => void }) {
  return (
    <Group gap="xs">
      {DAYS.map((days) => (
        <Button key={days} size="compact-sm" variant="default" onClick={() => onPick(inDays(days))}>
          {`Expires in ${days} days`}
        </Button>
      ))}
      <Button size="compact-sm" variant="default" onClick={() => onPick('')}>
        Never expires
      </Button>
    </Group>
  );
}
