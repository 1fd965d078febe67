import { parseAllowList } from '@app/domain/allow-lists/allow-list';
import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '../components/number';

/** The allow-list that a new key begins with, and what the rules say about it while it is typed. */
export function FirstList({
  text,
  onChange,
  error,
}: {
  text: string;
  onChange: (text: string) => void;
  error?: ReactNode;
}) {
  const input = readAllowListText(text).map((entry) => ({ text: entry.address, endsAtMs: null }));
  const read = input.length === 0 ? null : parseAllowList(input);
  const problems = read?.problems ?? [];
  return (
    <div>
      <Textarea
        label="Allowed addresses"
        name="allowed_ips_text"
        description="Addresses and CIDR blocks, one a line or separated by commas. What follows a # is its note. Leave it empty for every address."
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={problems.length > 0 ? problems.map(({ message }) => message).join(' ') : error}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      {read && problems.length === 0 && (
        <div role="status" className="gr-dimmed">
          {plural(read.canonical.length, 'entry', 'entries')} would be stored: {read.canonical.join(', ')}.{' '}
          {read.warnings.map(({ message }) => message).join(' ')}
        </div>
      )}
    </div>
  );
}
