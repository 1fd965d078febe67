import { DAY_MS } from '@app/domain/common/utc-days';
import { Button, Group } from '@mantine/core';
import { toLocalInput } from '../components/until-input';

/** So many days from now, as an input for a time shows it. */
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
