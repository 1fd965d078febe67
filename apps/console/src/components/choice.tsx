import { Checkbox, NativeSelect, Stack, type NativeSelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

export function Choice<T extends string>({
  onPick,
  ...props
}: Omit<NativeSelectProps, 'onChange' | 'value'> & { value: T | undefined; onPick: (value: T) => void }) {
  return <NativeSelect {...props} onChange={(event) => onPick(event.currentTarget.value as T)} />;
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
