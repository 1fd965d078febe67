import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { Search } from '../icons/icons';
import { pressedKey } from './pressed-key';
import { withoutSecrets } from '@app/domain/keys/secret-text';

const PAUSE_MS = 250;

/**
 * A text to search for, which takes effect when the typing pauses. `/` brings the cursor here; Enter searches at once and
 * leaves the field, so that `j` and `k` move among the rows.
 */
export function SearchField({
  label,
  value = '',
  onSearch,
}: {
  label: string;
  value?: string;
  onSearch: (text: string | undefined) => void;
}) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const search = useDebouncedCallback((typed: string) => {
    // Of a secret only its last four characters leave this browser, or stand in its address bar.
    const next = withoutSecrets(typed);
    sent.current = next;
    onSearch(next === '' ? undefined : next);
  }, PAUSE_MS);
  useEffect(() => {
    // The address has changed in another way: a link, the back button.
    if (value !== sent.current) setText((sent.current = value));
  }, [value]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={15} aria-hidden />}
      rightSection={<kbd aria-hidden>/</kbd>}
      value={text}
      data-search
      onKeyDown={(event) => {
        if (pressedKey(event.nativeEvent) !== 'Enter') return;
        search.flush();
        event.currentTarget.blur();
      }}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value.trim());
      }}
    />
  );
}
