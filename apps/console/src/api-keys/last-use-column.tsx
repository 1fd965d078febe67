import type { Schema } from '../api/client';
import type { Column } from '../components/data-table';
import { Time } from '../components/time';

export const LAST_USE_COLUMN: Column<Schema['ApiKeyResponse']> = {
  id: 'used',
  header: 'Last use',
  sort: 'last_used_at',
  cell: ({ last_used_at, last_used_from }) => (
    <>
      <Time at={last_used_at} relative />
      {last_used_from && <div className="gr-mono gr-dimmed">{last_used_from}</div>}
    </>
  ),
};
