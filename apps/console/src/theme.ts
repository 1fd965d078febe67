import { createTheme, rem, type CSSVariablesResolver } from '@mantine/core';

/** The green of the rooms that performers wait in. */
const GREEN = [
  '#e6f2ec',
  '#dcefe5',
  '#b9dccb',
  '#7fcfa8',
  '#66ba90',
  '#3fae80',
  '#238860',
  '#14724f',
  '#0b5d43',
  '#084a36',
] as const;

/** Heights of what is pressed or typed in; fingers get more by `styles.css`. */
const CONTROL = { '--button-height': rem(28), '--button-padding-x': rem(10), '--button-fz': rem(13) };
const FIELD = { '--input-height': rem(28), '--input-fz': rem(13), '--input-bg': 'var(--surface)' };
const QUIET = { '--button-color': 'var(--ink-2)', '--button-hover': 'var(--hover)' };
const CONTROL_IN_ROW = { '--button-height': rem(24), '--button-padding-x': rem(8), '--button-fz': rem(12) };

export const theme = createTheme({
  colors: { green: GREEN },
  primaryColor: 'green',
  primaryShade: { light: 8, dark: 3 },
  defaultRadius: 'sm',
  radius: { xs: rem(3), sm: rem(6), md: rem(8), lg: rem(12) },
  spacing: { xs: rem(6), sm: rem(8), md: rem(12), lg: rem(16), xl: rem(24) },
  fontSizes: { xs: rem(11), sm: rem(12), md: rem(13), lg: rem(14), xl: rem(16) },
  lineHeights: { xs: '1.35', sm: '1.35', md: '1.54', lg: '1.45', xl: '1.5' },
  cursorType: 'pointer',
  fontFamily: "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(20), lineHeight: '1.4' },
      h2: { fontSize: rem(13), lineHeight: '1.54' },
      h3: { fontSize: rem(13), lineHeight: '1.54' },
    },
  },
  respectReducedMotion: true,
  components: {
    Button: {
      defaultProps: { size: 'xs', variant: 'filled' },
      vars: (_: unknown, { size, variant }: { size?: string; variant?: string }) => ({
        root: {
          ...(size?.startsWith('compact') ? CONTROL_IN_ROW : CONTROL),
          ...(variant === 'subtle' && QUIET),
          ...(variant === 'filled' && { '--button-color': 'var(--on-accent)' }),
        },
      }),
    },
    Checkbox: { defaultProps: { size: 'xs', radius: 'xs', iconColor: 'var(--on-accent)' } },
    Input: { defaultProps: { size: 'xs' }, vars: () => ({ wrapper: FIELD }) },
    InputWrapper: {
      defaultProps: { size: 'xs' },
      styles: {
        label: { fontSize: rem(13) },
        description: { fontSize: rem(12) },
        error: { fontSize: rem(12) },
      },
    },
    Modal: {
      // To measure and hide the page's scroll bar would have the browser lay the page out while the dialog is drawn.
      defaultProps: { removeScrollProps: { removeScrollBar: false } },
      styles: { header: { background: 'var(--raised)' }, title: { fontSize: rem(14), fontWeight: 600 } },
    },
    Switch: { defaultProps: { size: 'xs' } },
    // Within the landmark of its button, and with menu items only, as assistive technology expects a menu.
    Menu: {
      defaultProps: {
        withinPortal: false,
        withInitialFocusPlaceholder: false,
        floatingStrategy: 'fixed',
        // To fade, it would have the browser lay the page out while what was pressed is drawn.
        transitionProps: { duration: 0 },
      },
    },
    Textarea: {
      // The browser lets them grow with their text (`styles.css`); to measure it in the page lays the page out.
      vars: (_: unknown, { rows = 1 }: { rows?: number }) => ({ wrapper: { '--rows': `${rows}` } }),
    },
  },
});

/** Roles, not shades. Text has a contrast of at least 4.5 to 1 on its ground, marks and controls 3 (WCAG 1.4.3 and 1.4.11). */
const TOKENS: Record<`--${string}`, [light: string, dark: string]> = {
  '--rail': ['#f3f6f4', '#0c0f0e'],
  '--surface': ['#ffffff', '#121614'],
  '--sunken': ['#f7f9f8', '#171c19'],
  '--raised': ['#ffffff', '#1b211e'],
  '--hover': ['#f3f6f4', '#191f1c'],
  '--selected': ['#e6f2ec', '#15291f'],
  '--line': ['#e6ebe8', '#222926'],
  '--line-strong': ['#d3dbd7', '#323b37'],
  '--line-control': ['#87918c', '#6c7872'],
  '--ink': ['#141c18', '#e9efec'],
  '--ink-2': ['#4c5752', '#a9b4ae'],
  '--ink-3': ['#646e69', '#8b9691'],
  '--accent': [GREEN[8], GREEN[3]],
  '--on-accent': ['#ffffff', '#06150e'],
  '--focus': [GREEN[7], GREEN[4]],
  '--good': [GREEN[8], '#8ed6b1'],
  '--good-bg': ['#e6f2ec', '#12291e'],
  '--good-mark': ['#238860', '#3fae80'],
  '--warn': ['#774a00', '#f0c978'],
  '--warn-bg': ['#fcf1d9', '#2e2409'],
  '--warn-mark': ['#b97309', '#d69a33'],
  '--bad': ['#a3231b', '#ffaca3'],
  '--bad-bg': ['#fdecea', '#371815'],
  '--bad-mark': ['#cc4238', '#ec6f65'],
  '--info': ['#1b4f86', '#a9cff5'],
  '--info-bg': ['#e8f1fa', '#11273d'],
  '--info-mark': ['#2f6fb5', '#5b9fe0'],
  '--d1': ['#238860', '#3fae80'],
  '--d1-soft': ['#b9dccb', '#1f4a38'],
  '--d2': ['#2f6fb5', '#5b9fe0'],
  '--d3': ['#b3611a', '#d98a45'],
  '--d4': ['#7b4fa3', '#a98be0'],
  '--d5': ['#a3324e', '#d8718a'],
  '--d6': ['#0f7f8f', '#35aebd'],
  '--d7': ['#6b6f1d', '#a8ab4a'],
  '--d-rest': ['#6b7671', '#8b9691'],
  '--track': ['#e9eeeb', '#252d29'],
  '--float': [
    '0 0 0 1px rgb(20 28 24 / 8%), 0 4px 12px rgb(20 28 24 / 10%), 0 16px 40px rgb(20 28 24 / 10%)',
    '0 0 0 1px rgb(255 255 255 / 9%), 0 8px 24px rgb(0 0 0 / 50%), 0 24px 60px rgb(0 0 0 / 45%)',
  ],
};

const ROLES = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-2)',
  '--mantine-color-placeholder': 'var(--ink-3)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-red-filled': 'var(--bad-mark)',
  '--mantine-color-red-filled-hover': 'var(--bad-mark)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--ink)',
};

const inTheme = (theme: 0 | 1) =>
  Object.fromEntries(Object.entries(TOKENS).map(([role, colours]) => [role, colours[theme]]));

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...inTheme(0), ...ROLES },
  dark: { ...inTheme(1), ...ROLES },
});
