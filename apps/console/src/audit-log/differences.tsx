import { fieldDifferences } from './field-differences';

/** What an event changed, field by field: as it was, struck out, and as it is. */
export function Differences({ before, after }: { before: unknown; after: unknown }) {
  const differences = fieldDifferences(before, after);
  if (differences.length === 0) return null;
  return (
    <dl className="gr-differences">
      {differences.map(({ field, was, is }) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>
            {was !== null && <del>{was}</del>} {is !== null && <ins>{is}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
