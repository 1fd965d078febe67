import { NativeSelect, type NativeSelectProps } from '@mantine/core';

/** A drop-down list of what can be chosen. */
export function Choice<T extends string>({
  onPick,
  ...props
}: Omit<NativeSelectProps, 'onChange' | 'value'> & { value: T | undefined; onPick: (value: T) => void }) {
  return <NativeSelect {...props} onChange={(event) => onPick(event.currentTarget.value as T)} />;
}
