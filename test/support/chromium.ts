import { chromium, type Browser } from 'playwright-core';

declare const __CHROMIUM__: string;

const TURNED_OFF = [
  // Playwright's own, where they matter here: of two flags of this name, Chromium reads the last.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  // Two pages for the address bar of each window, and a process in reserve: 1.4 s of CPU for each window.
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

/** Starts a browser with what a test needs of it. */
export async function launchChromium(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: __CHROMIUM__,
    args: ['--no-sandbox', `--disable-features=${TURNED_OFF.join()}`, ...args],
  });
}
