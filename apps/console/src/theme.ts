import { createTheme, type CSSVariablesResolver } from '@mantine/core';

/** The green of the rooms that performers wait in. */
const GREEN = [
  '#eef8f3',
  '#dcefe5',
  '#b7dfca',
  '#8ecdad',
  '#66ba90',
  '#3fa177',
  '#238860',
  '#14724f',
  '#0b5d43',
  '#084a36',
] as const;

export const theme = createTheme({
  colors: { green: GREEN },
  primaryColor: 'green',
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.1rem' } } },
  respectReducedMotion: true,
  components: {
    // Within the landmark of its button, and with menu items only, as assistive technology expects a menu.
    Menu: {
      defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false, floatingStrategy: 'fixed' },
    },
  },
});

/** Texts that must be read on their background: contrast of at least 4.5 to 1 (WCAG 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-anchor': GREEN[8],
    '--mantine-color-error': '#b3261e',
    '--mantine-color-dimmed': '#55605b',
    '--mantine-color-placeholder': '#6a746f',
    '--mantine-color-body': '#ffffff',
    '--gr-page': '#f6f8f7',
    '--gr-line': '#dfe5e2',
    '--gr-good-bg': '#dcefe5',
    '--gr-good-fg': '#084a36',
    '--gr-warn-bg': '#fdf0d2',
    '--gr-warn-fg': '#6b4700',
    '--gr-bad-bg': '#fbe3e1',
    '--gr-bad-fg': '#8c1d18',
    '--gr-calm-bg': '#e9edeb',
    '--gr-calm-fg': '#3b4541',
    '--gr-info-bg': '#e0ecf8',
    '--gr-info-fg': '#174a7c',
    '--gr-bar': GREEN[6],
    '--gr-bar-bad': '#c4443c',
  },
  dark: {
    '--mantine-color-anchor': GREEN[3],
    '--mantine-color-error': '#ff9c94',
    '--mantine-color-dimmed': '#a4afaa',
    '--mantine-color-placeholder': '#939e99',
    '--mantine-color-body': '#171b19',
    '--gr-page': '#101312',
    '--gr-line': '#2c3330',
    '--gr-good-bg': '#103b2b',
    '--gr-good-fg': '#a9dcc3',
    '--gr-warn-bg': '#42330b',
    '--gr-warn-fg': '#f4d58a',
    '--gr-bad-bg': '#4a1d1a',
    '--gr-bad-fg': '#ffb4ab',
    '--gr-calm-bg': '#29302d',
    '--gr-calm-fg': '#c9d2ce',
    '--gr-info-bg': '#15324e',
    '--gr-info-fg': '#b4d5f5',
    '--gr-bar': GREEN[5],
    '--gr-bar-bad': '#e0675f',
  },
});
