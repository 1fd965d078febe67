import type { Schema } from '../api/client';

export type Screening = Schema['ScreeningResponse'];
export type Entry = Screening['items'][number];
export type ListName = Entry['list'];

export const SCREENING_KEY = ['screening'];

export const LISTS: readonly { list: ListName; title: string; hint: string }[] = [
  {
    list: 'blocked_words',
    title: 'Blocked words',
    hint: 'As whole words, in names, descriptions and preview texts.',
  },
  {
    list: 'blocked_anywhere',
    title: 'Blocked anywhere',
    hint: 'Also inside other words. Try it first: harmless words may contain it.',
  },
  {
    list: 'protected_names',
    title: 'Protected names',
    hint: 'In names of voices, except for the account that may use them.',
  },
];
