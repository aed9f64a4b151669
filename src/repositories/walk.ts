// Repositories: the position and size of a page in a list that is read from its newest row back.

/** `after` is the sort key of the row before the page: a time and an id. */
export interface Walk {
  size: number;
  after: string[] | null;
}
