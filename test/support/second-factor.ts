import { codeOf, secretOf } from './authenticator';
import type { Stack } from './stack';
import type { StaffClient } from './staff-client';

/** Sets up a second factor for who is signed in there. Returns the secret of the authenticator app. */
export async function addSecondFactor(browser: StaffClient): Promise<{ secret: string; codes: string[] }> {
  const { password } = browser.person;
  const { body } = await browser.post('/admin/me/second-factor', { password });
  const secret = secretOf(String(body.totp_uri));
  const { status } = await browser.post('/admin/me/second-factor/confirm', { code: codeOf(secret) });
  if (status !== 204) throw new Error(`The second factor: status ${status}.`);
  return { secret, codes: body.backup_codes as string[] };
}

/** As if the member had used no code for a while. */
export async function clearUsedCodes(stack: Stack, memberId: string): Promise<void> {
  await stack.dataSource.query('UPDATE staff_auth.two_factor SET last_step = NULL WHERE member_id = $1', [
    memberId,
  ]);
}

/** As if the members had signed in, and confirmed that, some minutes ago. */
export async function ageConfirmations(stack: Stack, memberId: string, minutes: number): Promise<void> {
  await stack.dataSource.query(
    `UPDATE staff_auth.session SET confirmed_at = now() - make_interval(mins => $2) WHERE member_id = $1`,
    [memberId, minutes],
  );
}
