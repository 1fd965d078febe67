/**
 * What to do about a request that found no session. The shell sets it: it asks the reader to sign in again, in a dialog
 * over the page, so that nothing that was typed is lost. It resolves to whether the request may be sent again.
 */
type SignInAgain = () => Promise<boolean>;

let signInAgain: SignInAgain = () => Promise.resolve(false);
let waiting: Promise<boolean> | null = null;

export function onSessionEnd(handler: SignInAgain): void {
  signInAgain = handler;
}

/** Requests that fail together wait for one dialog. */
async function renewSession(): Promise<boolean> {
  waiting ??= signInAgain().finally(() => {
    waiting = null;
  });
  return waiting;
}

/** `fetch`, which asks for a new sign-in when the session has ended, and then sends the same request again. */
export async function fetchWithSession(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== 401 || !(await isSessionEnd(response))) return response;
  return (await renewSession()) ? fetch(again) : response;
}

async function isSessionEnd(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return (body as { code?: string } | null)?.code === 'staff_sign_in_required';
}
