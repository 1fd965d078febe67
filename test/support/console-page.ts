import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { StaffRole } from '../../libs/domain/staff/staff-permissions';
import { launchChromium } from './chromium';
import { WAIT_MS } from './eventually';
import { Stack, type StackOptions } from './stack';
import { StaffClient, type Person } from './staff-client';

/** A name of a private network, which browsers do not trust without TLS. */
const LAN_NAME = 'greenroom.lan';

/** The browser in which the tests of the console open their windows. */
export class ConsoleBrowser {
  /** What a page should never say: errors of scripts, and what the content security policy has stopped. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly browser: Browser,
    private readonly stack: Stack,
  ) {}

  /** A stack and a browser for all tests of a file, in which no page may complain. */
  static ofFile(options?: StackOptions): { stack: Stack; browser: ConsoleBrowser } {
    const browser = Object.create(ConsoleBrowser.prototype) as ConsoleBrowser;
    // Hooks run in this order: the pages are gone before what they read.
    afterAll(async () => {
      expect(browser.complaints).toEqual([]);
      await browser.close();
    });
    const stack = Stack.ofFile(options);
    beforeAll(async () => void Object.assign(browser, await ConsoleBrowser.open(stack)));
    return { stack, browser };
  }

  static async open(stack: Stack): Promise<ConsoleBrowser> {
    return new ConsoleBrowser(await launchChromium(`--host-resolver-rules=MAP ${LAN_NAME} 127.0.0.1`), stack);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  /** A window without a session, with `lan` at a name of a private network; with `passkeys`, on a device that makes and keeps them, where browsers allow that. */
  async visitor(
    options: { dark?: boolean; width?: number; passkeys?: boolean; lan?: boolean } = {},
  ): Promise<ConsolePage> {
    const baseUrl = this.stack.baseUrl.replace('127.0.0.1', options.lan ? LAN_NAME : '127.0.0.1');
    const context = await this.browser.newContext({
      baseURL: options.passkeys ? baseUrl.replace('127.0.0.1', 'localhost') : baseUrl,
      viewport: { width: options.width ?? 1280, height: 860 },
      colorScheme: options.dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      timezoneId: 'Europe/Berlin',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    if (options.passkeys) await addAuthenticator(context, page);
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (/Content.Security.Policy|Warning:|React/i.test(message.text()))
        this.complaints.push(message.text());
    });
    return new ConsolePage(page, context);
  }

  /** A window of a new member of staff with this role, signed in without the form. */
  async signedIn(role: StaffRole, options: { dark?: boolean; width?: number } = {}): Promise<ConsolePage> {
    const client = await StaffClient.signedIn(this.stack, role);
    const window = await this.visitor(options);
    await window.takeSession(client, this.stack.baseUrl);
    return window;
  }
}

/** A device with a fingerprint reader that recognises whoever touches it. */
async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** A window of the console. */
export class ConsolePage {
  person: Person;

  constructor(
    readonly page: Page,
    readonly context: BrowserContext,
  ) {}

  async takeSession(client: StaffClient, url: string): Promise<void> {
    this.person = client.person;
    const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url }));
    await this.context.addCookies(cookies);
  }

  /** Opens a screen and waits until it has read what it shows. */
  async open(path: string): Promise<void> {
    await this.page.goto(`/console${path}`);
    await this.settled();
  }

  async settled(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    await this.page.locator('[aria-label="Loading"], [data-loading]').first().waitFor({ state: 'detached' });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  field(label: string | RegExp): Locator {
    return this.page.getByLabel(label);
  }

  /** Chooses from the menu that a button opens. */
  async choose(menu: string | RegExp, item: string | RegExp): Promise<void> {
    await this.button(menu).click();
    await this.page.getByRole('menuitem', { name: item }).click();
  }

  /** Gives the reason that the open dialog requires, and confirms it. */
  async confirm(action: string, reason = 'Ticket 4711'): Promise<void> {
    const dialog = this.page.getByRole('dialog');
    await dialog.getByLabel(/^Reason/).fill(reason);
    await dialog.getByRole('button', { name: action, exact: true }).click();
  }

  /** Drops a file of this machine on a field, as a person does who drags it into the window. */
  async drop(label: string, path: string): Promise<void> {
    const box = (await this.field(label).boundingBox())!;
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    const devtools = await this.context.newCDPSession(this.page);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', { type, ...at, data });
    await devtools.detach();
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    await this.field('E-mail address').fill(email);
    await this.page.getByLabel(/^Password/).fill(password);
    await this.button('Sign in').first().click();
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
