import { Box, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemBanner } from './problem-banner';

/** Placeholder while something is being read. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={10} my={6} width={`${90 - line * 12}%`} />
      ))}
    </Stack>
  );
}

/** Shows what a query has read: its loading, its failure with a way to try again, or `children` with the data. */
export function Loaded<T>({
  query,
  lines,
  children,
}: {
  query: UseQueryResult<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <ProblemBanner error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading lines={lines} />;
}

/** Placeholder of an empty list: why it is empty, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Box p="md" ta="center" bd="1px dashed var(--line-strong)" bdrs="md">
      <strong>{title}</strong>
      {children !== undefined && <div className="gr-dimmed">{children}</div>}
    </Box>
  );
}
