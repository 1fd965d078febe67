/** The header in which the console says for whom it has drawn the page that a request comes from: the id of the member. */
export const DRAWN_FOR = 'x-greenroom-drawn-for';

/** The header, `1`, of what the console requests without anyone at the page: it keeps no session alive. */
export const UNATTENDED = 'x-greenroom-unattended';
