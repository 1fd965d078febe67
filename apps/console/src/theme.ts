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
      vars: (_: unknown, { size }: { size?: string }) => ({
        root: size?.startsWith('compact') ? CONTROL_IN_ROW : CONTROL,
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
      styles: { header: { background: 'var(--raised)' }, title: { fontSize: rem(14), fontWeight: 600 } },
    },
    Switch: { defaultProps: { size: 'xs' } },
    // Within the landmark of its button, and with menu items only, as assistive technology expects a menu.
    Menu: {
      defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false, floatingStrategy: 'fixed' },
    },
  },
});

/** Roles, not shades. Text has a contrast of at least 4.5 to 1 on its ground, marks and controls 3 (WCAG 1.4.3 and 1.4.11). */
const LIGHT = {
  '--rail': '#f3f6f4',
  '--surface': '#ffffff',
  '--sunken': '#f7f9f8',
  '--raised': '#ffffff',
  '--hover': '#f3f6f4',
  '--selected': '#e6f2ec',
  '--line': '#e6ebe8',
  '--line-strong': '#d3dbd7',
  '--line-control': '#87918c',
  '--ink': '#141c18',
  '--ink-2': '#4c5752',
  '--ink-3': '#646e69',
  '--accent': GREEN[8],
  '--on-accent': '#ffffff',
  '--focus': GREEN[7],
  '--good': GREEN[8],
  '--good-bg': '#e6f2ec',
  '--good-mark': '#238860',
  '--warn': '#774a00',
  '--warn-bg': '#fcf1d9',
  '--warn-mark': '#b97309',
  '--bad': '#a3231b',
  '--bad-bg': '#fdecea',
  '--bad-mark': '#cc4238',
  '--info': '#1b4f86',
  '--info-bg': '#e8f1fa',
  '--info-mark': '#2f6fb5',
  '--d1': '#238860',
  '--d1-soft': '#b9dccb',
  '--d2': '#2f6fb5',
  '--d3': '#b3611a',
  '--d4': '#7b4fa3',
  '--d5': '#a3324e',
  '--d6': '#0f7f8f',
  '--d7': '#6b6f1d',
  '--d-rest': '#6b7671',
  '--track': '#e9eeeb',
  '--float': '0 0 0 1px rgb(20 28 24 / 8%), 0 4px 12px rgb(20 28 24 / 10%), 0 16px 40px rgb(20 28 24 / 10%)',
};

const DARK: Record<keyof typeof LIGHT, string> = {
  '--rail': '#0c0f0e',
  '--surface': '#121614',
  '--sunken': '#171c19',
  '--raised': '#1b211e',
  '--hover': '#191f1c',
  '--selected': '#15291f',
  '--line': '#222926',
  '--line-strong': '#323b37',
  '--line-control': '#6c7872',
  '--ink': '#e9efec',
  '--ink-2': '#a9b4ae',
  '--ink-3': '#8b9691',
  '--accent': GREEN[3],
  '--on-accent': '#06150e',
  '--focus': GREEN[4],
  '--good': '#8ed6b1',
  '--good-bg': '#12291e',
  '--good-mark': '#3fae80',
  '--warn': '#f0c978',
  '--warn-bg': '#2e2409',
  '--warn-mark': '#d69a33',
  '--bad': '#ffaca3',
  '--bad-bg': '#371815',
  '--bad-mark': '#ec6f65',
  '--info': '#a9cff5',
  '--info-bg': '#11273d',
  '--info-mark': '#5b9fe0',
  '--d1': '#3fae80',
  '--d1-soft': '#1f4a38',
  '--d2': '#5b9fe0',
  '--d3': '#d98a45',
  '--d4': '#a98be0',
  '--d5': '#d8718a',
  '--d6': '#35aebd',
  '--d7': '#a8ab4a',
  '--d-rest': '#8b9691',
  '--track': '#252d29',
  '--float': '0 0 0 1px rgb(255 255 255 / 9%), 0 8px 24px rgb(0 0 0 / 50%), 0 24px 60px rgb(0 0 0 / 45%)',
};

/** What the component library names differently. */
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

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...LIGHT, ...ROLES },
  dark: { ...DARK, ...ROLES },
});
