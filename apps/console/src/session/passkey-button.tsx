import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ProblemBanner } from '../components/banner';
import { methodsQuery, passkeyObstacle } from './passkey';

/** Proves with a passkey who the reader is; nothing where this browser cannot. */
export function PasskeyButton(props: { label: string; prove: () => Promise<void>; onDone: () => void }) {
  const { label, prove, onDone } = props;
  const { data: methods } = useQuery(methodsQuery);
  const proof = useMutation({ mutationFn: prove, onSuccess: onDone });
  if (!methods || passkeyObstacle(methods.passkey_host) !== null) return null;
  return (
    <>
      <Button variant="default" loading={proof.isPending} onClick={() => proof.mutate()}>
        {label}
      </Button>
      <ProblemBanner error={proof.error} />
    </>
  );
}
