import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/client';
import { queryClient } from '../api/query-client';
import { Part } from '../components/part';
import { lazyScreen } from '../lazy-screen';
import { useMay } from '../session/me';

const CreditsDialog = lazyScreen(() => import('./credits-dialog'), 'CreditsDialog');

export const creditsQuery = (id: string) =>
  read(['credits', id], '/admin/accounts/{account_id}/credits', { path: { account_id: id } });

/** Grants credits to an account of a list. */
export function GrantButton({
  account,
  onDone,
}: {
  account: { id: string; name: string; version: number; status: string };
  onDone: (text: string) => void;
}) {
  const may = useMay();
  const [isOpen, dialog] = useDisclosure();
  const { data: credits } = useQuery({ ...creditsQuery(account.id), enabled: isOpen });
  if (!may('accounts.write') || account.status === 'closed') return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Grant credits: ${account.name}`}
        onClick={dialog.open}
      >
        Grant…
      </Button>
      {isOpen && credits && (
        <Part>
          <CreditsDialog
            account={account}
            credits={credits}
            kind="grant"
            onMoved={(text) => {
              onDone(text);
              void queryClient.invalidateQueries();
            }}
            onClose={dialog.close}
          />
        </Part>
      )}
    </>
  );
}
