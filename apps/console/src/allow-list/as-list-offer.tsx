import { describeIgnored } from '@app/domain/allow-lists/allow-list';
import { meantBlocks, readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { Button } from '@mantine/core';
import { plural } from '../components/number';
import { asList } from './draft-text';

/**
 * What of a text is not an entry, and what is one in another notation; one click writes it as the list that it means. `from` is
 * how many in another notation need it, where each has a button already.
 */
export function AsListOffer(props: { text: string; onWrite: (text: string) => void; from?: number }) {
  const { text, onWrite, from = 1 } = props;
  const { entries, ignored } = readAllowListText(text);
  const others = entries.filter((entry) => meantBlocks(entry)[0] !== entry.address).length;
  if (others < from && ignored.length === 0) return null;
  return (
    <div className="gr-one-line" role="status">
      <span className="gr-dimmed">
        {[
          others > 0 && `${plural(others, 'entry', 'entries')} in another notation`,
          ignored.length > 0 && describeIgnored(ignored),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
      {entries.length > 0 && (
        <Button size="compact-xs" variant="default" onClick={() => onWrite(asList(text))}>
          Write as a list
        </Button>
      )}
    </div>
  );
}
