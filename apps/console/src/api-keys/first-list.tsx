import { parseAllowList } from '@app/domain/allow-lists/allow-list';
import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { AsListOffer } from '../allow-list/as-list-offer';
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
  const { entries, ignored } = readAllowListText(text);
  const isEmpty = entries.length + ignored.length === 0;
  const read = isEmpty ? null : parseAllowList(entries.map(({ address }) => address));
  const problems = read?.problems ?? [];
  return (
    <div>
      <Textarea
        label="Allowed addresses"
        name="allowed_ips_text"
        description="Paste any text: a list, an e-mail, a table. What follows a # is a note. Leave it empty for every address."
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={problems.length > 0 ? problems.map(({ message }) => message).join(' ') : error}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <AsListOffer text={text} onWrite={onChange} />
      {read && problems.length === 0 && (
        <div role="status" className="gr-dimmed">
          {plural(read.canonical.length, 'entry', 'entries')} would be stored: {read.canonical.join(', ')}.{' '}
          {read.warnings.map(({ message }) => message).join(' ')}
        </div>
      )}
    </div>
  );
}
