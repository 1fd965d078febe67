import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { Box, Stack } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useReturn } from '../api/availability';
import { HandOver } from '../components/banner';
import { PageHeader } from '../components/page';
import { PartProblem } from '../components/part';
import { PartMissing } from '../api/fetch-part';

export function NotFoundPage() {
  return (
    <Stack>
      <PageHeader
        title="This screen does not exist"
        hint="The address may be mistyped, or the screen may have moved."
      />
      <Link to="/">Go to Home</Link>
    </Stack>
  );
}

export function ScreenProblem(props: ErrorComponentProps) {
  return (
    <Box p="md" component="main">
      <ScreenProblemInShell {...props} />
    </Box>
  );
}

/** A file that the server has is requested again this often. */
const AGAIN_MS = 5_000;

export function ScreenProblemInShell({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const missing = error instanceof PartMissing ? error : null;
  const again = () => {
    reset();
    void router.invalidate();
  };
  const fetchAgain = () => void Promise.resolve(missing?.again?.()).then(again);
  useReturn(fetchAgain);
  useEffect(() => {
    if (missing?.release !== 'same') return undefined;
    const timer = setTimeout(fetchAgain, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [missing]);
  return (
    <Stack>
      <PageHeader title={missing ? 'This screen could not be loaded' : 'This screen cannot be shown'} />
      <PartProblem error={error} reset={again} />
    </Stack>
  );
}

export function NotAllowed({ needs }: { needs: StaffPermission }) {
  return (
    <Stack>
      <PageHeader title="Not for your role" />
      <HandOver permission={needs} to="open this screen" />
    </Stack>
  );
}
