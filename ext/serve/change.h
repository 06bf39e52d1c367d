/*
** change.h -- what is written, by this server or any other program, is noticed: by
** watches, and by claims of messages that wait.
*/
#ifndef KV_SERVE_CHANGE_H
#define KV_SERVE_CHANGE_H

void changeInit(void);

#endif /* KV_SERVE_CHANGE_H */
