import { Stack } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useReturn } from '../api/availability';
import { Banner } from '../components/banner';
import { humanize } from '../components/number';
import { PageHeader } from '../components/page';
import { PartProblem } from '../components/part';
import { PartMissing } from '../api/fetch-part';
import { useMe } from '../api/me';

/** Within the frame of the screens: the menu stays. */
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

/** Shown in place of a page that has failed. */
export function ScreenProblem(props: ErrorComponentProps) {
  return (
    <Stack p="md" component="main">
      <Problem {...props} />
    </Stack>
  );
}

/** The same within the frame of the screens: the menu stays. */
export function ScreenProblemInShell(props: ErrorComponentProps) {
  return (
    <Stack>
      <Problem {...props} />
    </Stack>
  );
}

/** A file that the server has is requested again this often. */
const AGAIN_MS = 5_000;

function Problem({ error, reset }: ErrorComponentProps) {
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
    <>
      <PageHeader title={missing ? 'This screen could not be loaded' : 'This screen cannot be shown'} />
      <PartProblem error={error} reset={again} />
    </>
  );
}

export function NotAllowed({ needs }: { needs: string }) {
  const { role } = useMe();
  return (
    <Stack>
      <PageHeader title="Not for your role" />
      <Banner tone="calm">
        The role {humanize(role)} may not open this screen: it needs the permission {needs}. Ask an
        administrator if you should have it.
      </Banner>
    </Stack>
  );
}
