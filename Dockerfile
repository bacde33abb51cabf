# The image holds the one static binary and the certificates to reach Stripe and
# the mail server. Time zones are inside the binary.
#
#   docker build --build-arg VERSION=1.0 -t holdfast .
#   docker run --env-file holdfast.env holdfast migrate
#   docker run --env-file holdfast.env -p 8080:8080 holdfast

FROM node:22-slim AS assets
WORKDIR /src
COPY package.json package-lock.json ./
COPY scripts/assets.sh scripts/
RUN scripts/assets.sh

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=assets /src/static/vendor/ static/vendor/
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -tags timetzdata \
    -ldflags "-s -w -X main.version=${VERSION}" -o /holdfast .

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /holdfast /holdfast
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/holdfast"]
CMD ["serve"]
