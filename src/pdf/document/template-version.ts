/** Raised whenever the same snapshot would come out as other bytes; stored beside each PDF that is made. */
export const TEMPLATE_VERSION = '1';
