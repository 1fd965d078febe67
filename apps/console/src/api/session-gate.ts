/** What to do about a refusal before the request may be sent again; resolves to whether it may. */
type Handler = () => Promise<boolean>;

/** Requests that are refused together wait for one handler: for one dialog over the page, so that nothing typed is lost. */
class Gate {
  private handler: Handler = () => Promise.resolve(false);
  private waiting: Promise<boolean> | null = null;

  onRefusal(handler: Handler): void {
    this.handler = handler;
  }

  async pass(): Promise<boolean> {
    this.waiting ??= this.handler().finally(() => {
      this.waiting = null;
    });
    return this.waiting;
  }
}

/** The session has ended: asks to sign in again. */
export const sessionGate = new Gate();
/** The change needs a recent confirmation: asks for the password or a code. */
export const confirmationGate = new Gate();
/** Something has to be set up before anything else: reads again who is signed in, which leads there. */
export const setupGate = new Gate();

const GATES = new Map([
  ['staff_sign_in_required', sessionGate],
  ['sign_in_confirmation_required', confirmationGate],
  ['password_change_required', setupGate],
  ['second_factor_setup_required', setupGate],
]);

/** `fetch`, which asks the reader for what a refusal wants, and then sends the same request again. */
export async function fetchWithSession(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(request);
  const gate = GATES.get(await refusalOf(response));
  return gate && (await gate.pass()) ? fetchWithSession(again) : response;
}

async function refusalOf(response: Response): Promise<string> {
  if (response.status !== 401 && response.status !== 403) return '';
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return (body as { code?: string } | null)?.code ?? '';
}
