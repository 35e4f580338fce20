// Numbers of pushes in sentences.

import { pushLink } from '../base.js';

/** The numbers of pushes in a sentence, such as “2 requests, numbers 3 and 8”, as links. */
export const linked = (sentence) => sentence.split(/((?:numbers?|requests?|[Pp]ush(?:es)?) \d[\d, and]*)/).map((part, index) =>
  (index % 2 ? part.split(/(\d+)/).map((each, place) => (place % 2 ? pushLink(each, each) : each)) : part));
