import { NativeSelect, type NativeSelectProps } from '@mantine/core';

/** A drop-down list of what can be chosen. */
export function Choice<T extends string>({
  onPick,
  ...props
}: Omit<NativeSelectProps, 'onChange' | 'value'> & { value: T | undefined; onPick: (value: T) => void }) {
  return <NativeSelect {...props} onChange={(event) => onPick(event.currentTarget.value as T)} />;
}

/** How many of the last days are shown. */
export function DaysChoice({
  days,
  choices,
  onPick,
}: {
  days: number;
  choices: number[];
  onPick: (days: number) => void;
}) {
  return (
    <Choice
      size="xs"
      aria-label="Days"
      value={String(days)}
      onPick={(value) => onPick(Number(value))}
      data={choices.map((each) => ({
        value: String(each),
        label: each === 1 ? '24 hours' : `${each} days`,
      }))}
    />
  );
}
