import { Stack } from '@mantine/core';
import { UserText } from '../components/name';
import { fieldDifferences } from './field-differences';

/** Longer values are shown to their beginning until they are opened. */
const LONG = 240;

/** What an event changed, field by field: as it was, struck out, and as it is. */
export function Differences({ before, after }: { before: unknown; after: unknown }) {
  const differences = fieldDifferences(before, after);
  if (differences.length === 0) return null;
  return (
    <Stack component="dl" className="gr-differences" fz="sm" gap={6}>
      {differences.map(({ field, was, is }) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>
            {was !== null && (
              <del>
                <Value text={was} />
              </del>
            )}{' '}
            {is !== null && (
              <ins>
                <Value text={is} />
              </ins>
            )}
          </dd>
        </div>
      ))}
    </Stack>
  );
}

function Value({ text }: { text: string }) {
  if (text.length <= LONG) return <UserText>{text}</UserText>;
  return (
    <details>
      <summary>
        <UserText>{text.slice(0, LONG)}</UserText>…
      </summary>
      <UserText>{text.slice(LONG)}</UserText>
    </details>
  );
}
