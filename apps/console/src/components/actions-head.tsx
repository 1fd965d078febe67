import { VisuallyHidden } from '@mantine/core';

/** The heading of a column of buttons, for those who cannot see the table. */
export function ActionsHead() {
  return (
    <th>
      <VisuallyHidden>Actions</VisuallyHidden>
    </th>
  );
}
