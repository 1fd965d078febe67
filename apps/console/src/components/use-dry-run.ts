import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/react-query';

const TYPING_MS = 300;

/**
 * What the server says of what is typed, once the typing pauses.
 *
 * @param input null while it cannot be tried
 * @returns also whether that is about what is typed right now
 */
export function useDryRun<Input, Result>(
  queryKey: QueryKey,
  input: Input | null,
  send: (input: Input) => Promise<Result>,
) {
  const typed = JSON.stringify(input);
  const [settled] = useDebouncedValue(typed, TYPING_MS);
  const query = useQuery({
    queryKey: [...queryKey, settled],
    queryFn: () => send(JSON.parse(settled) as Input),
    placeholderData: keepPreviousData,
    enabled: settled !== 'null',
    staleTime: 0,
    retry: false,
  });
  const isCurrent = typed === settled && query.data !== undefined && !query.isPlaceholderData;
  return [query, isCurrent] as const;
}
